import * as contract from "@foyer/contract";
import { describe, expect, it } from "vitest";
import { labelFor } from "./audit-labels.ts";

describe("audit log labels", () => {
  it("exist for every audited call", () => {
    const recorded = Object.values(contract).flatMap((value) => {
      if (typeof value !== "object" || !("url" in value) || value.method === "GET") return [];
      const { access } = value.config;
      const trivial: object[] = [
        contract.readConversation,
        contract.reportTyping,
        contract.reportSeen,
        contract.putMessageDraft,
      ];
      const isTrivial = trivial.includes(value);
      const isUnrecorded = access === "public" || access === "user" || isTrivial;
      return isUnrecorded ? [] : [`${value.method} ${value.url}`];
    });
    expect(recorded.length).toBeGreaterThan(25);
    expect(recorded.filter((action) => labelFor(action) === action)).toEqual([]);
  });

  it("exist for every recorded read and event", () => {
    const reads = [contract.getIdentitySecret, contract.getWebhookSecret, contract.getWebhookSigningSecret];
    const actions = [...reads, contract.listPendingLinks, contract.exportVisitorData].map(
      ({ method, url }) => `${method} ${url}`,
    );
    const events = ["set-up", "sign-in", "sign-in-failed", "sign-out", "accept-invitation", "reset-password"];
    expect([...actions, ...events].filter((action) => labelFor(action) === action)).toEqual([]);
  });

  it("show unknown actions unchanged", () => {
    expect(labelFor("POST /from/a/later/version")).toBe("POST /from/a/later/version");
  });
});
