import { maxUserTokenLength } from "@foyer/contract/rules/limits";
import type { Output } from "@foyer/sdk";
import { useState } from "react";
import { Button } from "../../components/button.tsx";
import { FactList } from "../../components/fact-list.tsx";
import { TextArea } from "../../components/field.tsx";
import { Section } from "../../components/page.tsx";
import { Status } from "../../components/status.tsx";
import { Time } from "../../components/time.tsx";
import { provenFacts } from "../../components/visitor-identity.tsx";
import { useEndpointMutation } from "../../data/queries.ts";

/** Checks a token of the site's server: whether it is valid, what it proves, or why it is rejected. */
export function TokenCheck({ agentId }: { agentId: string }) {
  const [token, setToken] = useState("");
  const check = useEndpointMutation("checkIdentityToken");
  const change = (text: string) => {
    setToken(text);
    check.reset();
  };
  return (
    <Section
      title="Check a token"
      description="Paste a token that your server signed to see what it proves, or why it is rejected."
    >
      <TextArea
        label="Token"
        value={token}
        onChange={change}
        maxLength={maxUserTokenLength}
        placeholder="eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.…"
        autoComplete="off"
        spellCheck={false}
        className="font-mono break-all"
      />
      <div>
        <Button
          isBusy={check.isPending}
          disabled={token.trim() === ""}
          onClick={() => check.mutate({ id: agentId, body: { token } })}
        >
          Check token
        </Button>
      </div>
      <div role="status">{check.data && <Result result={check.data} />}</div>
    </Section>
  );
}

function Result({ result: { valid, reason, visitor, expiresAt } }: { result: Output<"checkIdentityToken"> }) {
  if (!valid || !visitor) {
    return (
      <div className="grid gap-1 border-s-2 border-wrong px-4 py-1">
        <Status tone="wrong">Not valid</Status>
        <p>{reason?.replace(/^The user token is not valid\. /, "")}</p>
      </div>
    );
  }
  return (
    <div className="grid gap-3 rounded-lg border border-line p-4">
      <Status tone="fine">Valid</Status>
      <FactList
        facts={[...provenFacts(visitor), ["Expires", expiresAt && <Time key="expires" at={expiresAt} isExact />]]}
      />
    </div>
  );
}
