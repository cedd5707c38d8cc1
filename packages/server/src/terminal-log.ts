import { isDeepStrictEqual } from "node:util";

type Output = { write(text: string): unknown };
type Line = { level: number; time: number; msg?: string; [name: string]: unknown };

/** The number of lines after which a reminder is printed again. */
const REMIND_AFTER = 15;

const levelNames: Record<number, string> = { 20: "DEBUG", 40: "WARN", 50: "ERROR", 60: "FATAL" };
/** Fields that are only useful to programs. */
const hidden = new Set(["level", "time", "msg", "pid", "hostname", "requestId", "name"]);

/**
 * A pino destination that prints short lines for people. It is used on terminals only, because programs read JSON.
 */
export function createTerminalLog(output: Output) {
  let reminder: { text: string; isNeeded: () => Promise<boolean> } | undefined;
  let linesSince = 0;

  async function remindAgain(): Promise<void> {
    const current = reminder;
    if (!current) return;
    linesSince = 0;
    if (await current.isNeeded()) output.write(current.text);
    else reminder = undefined;
  }

  return {
    write(json: string): void {
      output.write(`${toText(JSON.parse(json))}\n`);
      linesSince++;
      // A database failure is logged elsewhere, and a later line tries to print the reminder again.
      if (reminder && linesSince >= REMIND_AFTER) remindAgain().catch(() => {});
    },
    /** Prints `text` now, and again whenever it has scrolled away, for as long as it is needed. */
    remind(text: string, isNeeded: () => Promise<boolean>): void {
      output.write(text);
      reminder = { text, isNeeded };
      linesSince = 0;
    },
  };
}

function toText(line: Line): string {
  const level = levelNames[line.level];
  return [new Date(line.time).toTimeString().slice(0, 8), ...(level ? [level] : []), ...describe(line)].join(" ");
}

function describe({ msg = "", ...fields }: Line): string[] {
  const { method, path, status, ms, err, ip, ...rest } = fields;
  const error = err as { message?: string; stack?: string } | undefined;
  const request = path === undefined ? [] : [`${method} ${path} ${status} ${ms} ms`];
  const details = Object.entries(rest)
    .filter(([name, value]) => !hidden.has(name) && value !== null && !isDeepStrictEqual(value, {}))
    .map(([name, value]) => `${name}=${typeof value === "string" ? value : JSON.stringify(value)}`);
  const trace = error ? [`\n${error.stack ?? error.message ?? ""}`] : [];
  return [...request, ...(msg === "request" ? [] : [msg]), ...details, ...trace];
}
