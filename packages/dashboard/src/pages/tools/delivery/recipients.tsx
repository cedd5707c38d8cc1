import type { MailRecipient, Member } from "@foyer/contract";
import { Link } from "@tanstack/react-router";
import { type ReactNode, useId, useState } from "react";
import { Button } from "../../../components/button.tsx";
import { AddAddress } from "./add-address.tsx";

/**
 * The people who can be emailed. `members` and `addresses` are `null` while they load; `sendsMail` is whether the
 * server sends email.
 */
export type MailFacts = {
  members: readonly Member[] | null;
  addresses: readonly MailRecipient[] | null;
  /** Id of the viewer, who is listed first. */
  userId: string | null;
  sendsMail: boolean;
  /**
   * Adds an address and emails it a confirmation link. Resolves to the address as stored; rejects with a FoyerError.
   */
  addAddress: (address: string) => Promise<string>;
  resendLink: (recipient: { id: string; address: string }) => Promise<unknown>;
};

type Chosen = { recipientIds: string[]; to: string[] };

/** The recipients of an email action: members, and other addresses once their owners have confirmed them. */
export function Recipients({
  members,
  addresses,
  userId,
  sendsMail,
  addAddress,
  resendLink,
  chosen,
  onChange,
  error,
}: MailFacts & { chosen: Chosen; onChange: (chosen: Partial<Chosen>) => void; error: string | undefined }) {
  const id = useId();
  if (!members || !addresses) return <div aria-hidden className="glow h-24 rounded-lg bg-sunken" />;
  const { recipientIds, to } = chosen;
  const row = { hasError: error !== undefined };
  return (
    <div className="grid gap-2">
      <fieldset aria-describedby={error ? `${id}-error` : undefined}>
        <legend className="mb-1 font-medium">To</legend>
        <div className="max-h-72 overflow-y-auto rounded-lg border border-line">
          {memberRows(members, recipientIds, userId).map(({ id, name, note }) => (
            <Row
              key={id}
              {...row}
              name={name}
              note={note}
              isChosen={recipientIds.includes(id)}
              onToggle={(isChosen) => onChange({ recipientIds: withItem(recipientIds, id, isChosen) })}
            />
          ))}
          {addressRows(addresses, to).map(({ address, note, unconfirmedId }) => (
            <Row
              key={address}
              {...row}
              name={address}
              note={note}
              isChosen={isListed(to, address)}
              onToggle={(isChosen) => onChange({ to: isChosen ? [...to, address] : without(to, address) })}
            >
              {unconfirmedId !== null && <ResendLink onResend={() => resendLink({ id: unconfirmedId, address })} />}
            </Row>
          ))}
        </div>
        {error && (
          <p id={`${id}-error`} className="mt-1 text-sm text-wrong">
            {error}
          </p>
        )}
      </fieldset>
      {sendsMail ? (
        <AddAddress add={addAddress} onAdded={(address) => onChange({ to: [...without(to, address), address] })} />
      ) : (
        <NoMailServer />
      )}
    </div>
  );
}

export function NoMailServer() {
  return (
    <p className="text-warning">
      Email is not configured on this server, so nothing is sent.{" "}
      <Link to="/settings/health" className="underline underline-offset-2">
        See how to configure it
      </Link>
    </p>
  );
}

function Row({
  name,
  note,
  isChosen,
  hasError,
  onToggle,
  children,
}: {
  name: string;
  note: string;
  isChosen: boolean;
  hasError: boolean;
  onToggle: (isChosen: boolean) => void;
  children?: ReactNode;
}) {
  return (
    <div className="flex flex-wrap items-center gap-x-3 border-line pe-2 not-first:border-t">
      <label className="flex min-h-10 min-w-0 flex-1 cursor-pointer items-center gap-3 ps-3">
        <input
          type="checkbox"
          className="size-4 shrink-0 accent-ink"
          aria-invalid={hasError ? true : undefined}
          checked={isChosen}
          onChange={(event) => onToggle(event.target.checked)}
        />
        <span className="min-w-0 wrap-anywhere">
          {name} <span className="text-soft">{note}</span>
        </span>
      </label>
      {children}
    </div>
  );
}

function ResendLink({ onResend }: { onResend: () => Promise<unknown> }) {
  const [isBusy, setBusy] = useState(false);
  const resend = () => {
    setBusy(true);
    void onResend().finally(() => setBusy(false));
  };
  return (
    <Button variant="plain" isBusy={isBusy} onClick={resend}>
      Resend link
    </Button>
  );
}

/**
 * Lists the viewer first. Former members stay listed while they are selected, because the form cannot be saved with
 * them.
 */
function memberRows(members: readonly Member[], chosen: readonly string[], userId: string | null) {
  const rows = members.map(({ id, name, email }) => ({
    id,
    name: id === userId ? `You (${email})` : name || email,
    note: id === userId || !name ? "" : email,
  }));
  const former = chosen.filter((id) => !members.some((member) => member.id === id));
  return [
    ...rows.filter(({ id }) => id === userId),
    ...rows.filter(({ id }) => id !== userId),
    ...former.map((id) => ({ id, name: id, note: "no longer a member" })),
  ];
}

function addressRows(addresses: readonly MailRecipient[], chosen: readonly string[]) {
  const rows = addresses.map(({ id, address, confirmedAt }) => ({
    address,
    note: confirmedAt === null ? "waiting for confirmation" : "",
    unconfirmedId: confirmedAt === null ? id : null,
  }));
  const removed = chosen.filter((address) => !rows.some((row) => isSame(row.address, address)));
  return [...rows, ...removed.map((address) => ({ address, note: "removed from the list", unconfirmedId: null }))];
}

const isSame = (one: string, other: string) => one.toLowerCase() === other.toLowerCase();
const isListed = (all: readonly string[], address: string) => all.some((one) => isSame(one, address));
const without = (all: readonly string[], address: string) => all.filter((one) => !isSame(one, address));
const withItem = (all: readonly string[], item: string, isIn: boolean) =>
  isIn ? [...all, item] : all.filter((other) => other !== item);
