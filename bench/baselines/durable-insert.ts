import { join } from "node:path";
import Fastify from "fastify";
import { openSqliteFile } from "../../packages/server/src/db/sqlite/file.ts";
import { serveChild } from "../serve-child.ts";

/** One route that stores a body durably in SQLite, with nothing around it. */
const database = openSqliteFile(join(process.argv[2] ?? "", "bare.sqlite"));
database.exec("create table submissions (id integer primary key, body text not null)");
const insert = database.prepare("insert into submissions (body) values (?)");
const app = Fastify();
app.post("/form-submissions/submit", async (request) => {
  insert.run(JSON.stringify(request.body));
  return { success: true };
});
await app.listen({ host: "127.0.0.1", port: 0 });
await serveChild(app.server);
