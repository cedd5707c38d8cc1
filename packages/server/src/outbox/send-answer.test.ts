import { pino } from "pino";
import { expect, it } from "vitest";
import { MailError } from "../outbound/mail-error.ts";
import { OutboundError } from "../outbound/outbound-error.ts";
import { explainFailure } from "./send-answer.ts";

const { signal } = new AbortController();
const log = pino({ level: "silent" });

it.each([
  new OutboundError("redirect", "hooks.example redirects to https://[Connection terminated (HTTP 302)."),
  new MailError("The mail server rejected the email: 550 Query read timeout"),
])("counts an attempt as failed when the receiver imitates an error of the database: $message", (error) => {
  expect(explainFailure(error, signal, log)).toMatchObject({ status: null, detail: error.message });
});

it("counts no attempt when the database is unavailable", () => {
  const error = new Error("Connection terminated unexpectedly");
  expect(() => explainFailure(error, signal, log)).toThrow(error);
});
