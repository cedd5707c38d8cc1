import "./compile-cache.js";

const { runCommandLine } = await import("./commands.ts");
await runCommandLine();
