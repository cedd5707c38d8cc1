import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";

/** Reads one line from standard input, piped or typed at a terminal without echo. @throws when there is none */
export async function readPassword(): Promise<string> {
  const { stdin, stderr } = process;
  const isTerminal = stdin.isTTY === true;
  if (isTerminal) stderr.write("New password: ");
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: stdin, output: silent, terminal: isTerminal });
  try {
    for await (const line of lines) return line;
  } finally {
    lines.close();
    if (isTerminal) stderr.write("\n");
  }
  throw new Error("No password was entered.");
}
