import { expect, it, onTestFinished } from "vitest";
import { openForms } from "../../../../../test/form-client.ts";

const BASE_URL = "https://chat.example.com";

async function openServer(env: Record<string, string>) {
  const forms = await openForms({ env });
  onTestFinished(() => forms.stop());
  const { id: toolId } = await forms.createForm();
  const bodies = {
    submit: { toolId, formData: {}, fieldsCompleted: [] },
    event: { toolId, eventType: "impression", formInstanceId: "i" },
    "client-result": { submissionId: "sub_none", success: true },
  };
  return (path: keyof typeof bodies, remoteAddress = "203.0.113.5") =>
    forms.server.app.inject({ method: "POST", url: `/form-submissions/${path}`, payload: bodies[path], remoteAddress });
}

it("submissions and results of one IP address share a limit per minute", async () => {
  const send = await openServer({ BASE_URL, FOYER_LIMIT_SUBMIT_PER_IP: "2" });
  expect([(await send("submit")).statusCode, (await send("client-result")).statusCode]).toEqual([200, 404]);
  for (const path of ["submit", "client-result"] as const) {
    const limited = await send(path);
    expect([limited.statusCode, limited.json().error.code]).toEqual([429, "RATE_LIMITED"]);
    expect(limited.headers).toMatchObject({ "x-ratelimit-limit": "2", "x-ratelimit-remaining": "0" });
    expect(Number(limited.headers["retry-after"])).toBeGreaterThan(0);
    expect(limited.headers["access-control-allow-origin"]).toBe("*");
  }
  expect((await send("submit", "203.0.113.6")).statusCode).toBe(200);
  expect((await send("event")).statusCode).toBe(200);
});

it("form events of one IP address have a limit per minute", async () => {
  const send = await openServer({ BASE_URL, FOYER_LIMIT_EVENTS_PER_IP: "2" });
  expect([(await send("event")).statusCode, (await send("event")).statusCode]).toEqual([200, 200]);
  expect((await send("event")).statusCode).toBe(429);
  expect((await send("event", "203.0.113.6")).statusCode).toBe(200);
  expect((await send("submit")).statusCode).toBe(200);
});

it("form limits do not apply to loopback clients of a server on loopback", async () => {
  const send = await openServer({ FOYER_LIMIT_SUBMIT_PER_IP: "1", FOYER_LIMIT_EVENTS_PER_IP: "1" });
  for (const path of ["submit", "submit", "event", "event"] as const) {
    expect((await send(path, "127.0.0.1")).statusCode, path).toBe(200);
  }
});
