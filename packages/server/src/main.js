import "./compile-cache.js";

await import("./serve.ts");
