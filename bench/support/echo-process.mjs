// A bare process that gives each chunk of stdin back on stdout.
process.stdin.pipe(process.stdout);
