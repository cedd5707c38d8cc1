import Fastify from "fastify";
import { serveChild } from "../serve-child.ts";

/** One route that returns the given JSON with nothing around it, and one that accepts JSON and discards it. */
const body: unknown = JSON.parse(process.argv[2] ?? "null");
const app = Fastify();
app.get("/agents", async () => body);
app.post("/events", async () => ({ success: true }));
await app.listen({ host: "127.0.0.1", port: 0 });
await serveChild(app.server);
