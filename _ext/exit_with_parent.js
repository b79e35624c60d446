// Loaded into the KaTeX server before its own script: when the build ends, however it ends, so does the server.
// Its standard input is a pipe from the build; the pipe closes when the build is gone.
process.stdin.on("end", () => process.exit());
process.stdin.resume();
