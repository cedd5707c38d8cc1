import type { VerifiedVisitor, VisitorIdentity } from "@foyer/contract";
import type { ReactNode } from "react";
import type { Fact } from "./fact-list.tsx";
import { JsonBlock } from "./json-block.tsx";
import { Status, Tag } from "./status.tsx";

const levels = {
  verified: { word: "Verified", tone: "fine", line: "Your server proved who this visitor is." },
  claimed: { word: "Claimed", tone: "warning", line: "Your page identified this visitor without proof." },
  anonymous: { word: "Anonymous", tone: "plain", line: "Your page did not identify this visitor." },
} as const;

/** Lists the known facts about a visitor. Unproven facts of a verified visitor are marked. */
export function visitorFacts({
  identity,
  isTest = false,
  userId,
  userEmail = null,
  userName = null,
  userMetadata = null,
  visitor,
}: {
  identity: VisitorIdentity;
  /** Whether a member chatted to test the agent, not a visitor of the site. */
  isTest?: boolean;
  userId: string | null;
  userEmail?: string | null;
  userName?: string | null;
  userMetadata?: Record<string, unknown> | null | undefined;
  visitor?: VerifiedVisitor | null | undefined;
}): Fact[] {
  const { word, tone, line } = levels[identity];
  const proven = visitor ?? null;
  const known = {
    id: userId ?? proven?.id ?? null,
    email: proven?.email ?? userEmail,
    name: proven?.name ?? userName,
    claims: proven?.claims ?? {},
  };
  const markUnproven = (value: ReactNode, isProven: boolean) =>
    value && identity === "verified" && !isProven ? (
      <>
        {value} <Tag>not verified</Tag>
      </>
    ) : (
      value
    );
  // In a test chat, the member chooses whom to be. Without a proof, that is the member.
  const identityFact: Fact =
    isTest && identity !== "verified"
      ? ["Identity", <Status key="identity">Test chat by {known.name || known.email || "a member"}</Status>]
      : [
          "Identity",
          <div key="identity">
            <Status tone={tone}>{word}</Status>
            <p className="text-sm text-soft">{isTest ? "A member chatted as this visitor to test the agent." : line}</p>
          </div>,
        ];
  return [
    identityFact,
    ["Name", markUnproven(known.name, Boolean(proven?.name))],
    ["Email", markUnproven(known.email, Boolean(proven?.email))],
    ["Visitor ID", known.id && <code>{known.id}</code>],
    ["Claims", renderJson("Claims", known.claims)],
    [identity === "verified" ? "Metadata, not verified" : "Metadata", renderJson("Metadata", userMetadata ?? {})],
  ];
}

/** The facts that a token proves. */
export function provenFacts({ id, email, name, claims }: VerifiedVisitor): Fact[] {
  return [
    ["Visitor ID", <code key="id">{id}</code>],
    ["Email", email],
    ["Name", name],
    ["Claims", renderJson("Claims", claims)],
  ];
}

function renderJson(label: string, value: Record<string, unknown>): ReactNode {
  return Object.keys(value).length > 0 ? <JsonBlock label={label} value={value} /> : null;
}
