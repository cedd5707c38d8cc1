import "./compile-cache.js";

await import("./commands.ts");
