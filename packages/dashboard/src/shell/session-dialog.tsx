import type { Session } from "@foyer/contract";
import { FoyerError } from "@foyer/sdk";
import { useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { Button } from "../components/button.tsx";
import { Dialog } from "../components/dialog.tsx";
import { TextField } from "../components/field.tsx";
import { api } from "../data/api.ts";
import { endpointQuery, queryClient } from "../data/queries.ts";
import { serverPath } from "../data/server-address.ts";
import { canContinueWith, continueWith, dismissInterruption, useInterruption } from "../data/session-guard.ts";

const providerNames = { google: "Google", github: "GitHub", oidc: "single sign-on" };

/**
 * Asks the member to sign in again when their session has ended, without leaving the page, so that nothing typed is
 * lost. Requests that were waiting are then sent again.
 */
export function SessionDialog({ user }: { user: Session["user"] }) {
  const interruption = useInterruption();
  const other = interruption?.reason === "other" ? interruption.session : null;
  return (
    <Dialog
      title={other ? "Someone else signed in" : "Your session ended"}
      description={
        other
          ? `This browser is now signed in as ${other.user.email}. This page was opened by ${user.email}.`
          : "Sign in to continue. Everything you typed on this page is kept."
      }
      isOpen={interruption !== null}
      onClose={dismissInterruption}
    >
      {other &&
        (canContinueWith(other) ? (
          <Button onClick={() => resume(other)}>Continue as {other.user.email}</Button>
        ) : (
          <p>{other.user.email} doesn't belong to the organization of this page.</p>
        ))}
      <SignInAgain email={user.email} />
    </Dialog>
  );
}

async function resume(session: Session): Promise<void> {
  await continueWith(session);
  await queryClient.invalidateQueries();
}

function SignInAgain({ email }: { email: string }) {
  const { data: options } = useQuery(endpointQuery("getSignInOptions"));
  const [password, setPassword] = useState("");
  const [problem, setProblem] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const [isLinkSent, setLinkSent] = useState(false);
  const run = async (act: () => Promise<unknown>) => {
    setBusy(true);
    setProblem(undefined);
    try {
      await act();
    } catch (error) {
      setProblem(error instanceof FoyerError ? error.message : "Sign-in failed. Try again.");
    } finally {
      setBusy(false);
    }
  };
  const signIn = (event: FormEvent) => {
    event.preventDefault();
    // React propagates the event to a form around the dialog, which would be submitted as well.
    event.stopPropagation();
    return run(async () => resume(await api.signInByEmail({ body: { email, password } })));
  };
  const sendLink = () =>
    run(async () => {
      await api.sendMagicLink({ body: { email, callbackUrl: serverPath("/dashboard") } });
      setLinkSent(true);
    });
  return (
    <form noValidate className="grid gap-4" onSubmit={signIn}>
      <TextField label="Email" type="email" autoComplete="username" disabled value={email} onChange={() => {}} />
      <TextField
        label="Password"
        type="password"
        autoComplete="current-password"
        value={password}
        onChange={setPassword}
        error={problem}
      />
      {isLinkSent && (
        <p role="status">
          {options?.sendsMail === false
            ? "Your sign-in link is in the server log. Open it in this browser, then come back to this page."
            : `We sent a sign-in link to ${email}. Open it in this browser, then come back to this page.`}
        </p>
      )}
      <div className="flex flex-wrap gap-2">
        <Button type="submit" variant="main" isBusy={isBusy}>
          Sign in
        </Button>
        <Button onClick={sendLink} disabled={isBusy}>
          Email me a sign-in link
        </Button>
        {(options?.providers ?? []).map((provider) => (
          // A new tab, so that this page keeps what was typed. It continues when that tab is signed in.
          <a
            key={provider}
            href={serverPath(`/auth/sign-in/${provider}?callbackUrl=%2Fdashboard`)}
            target="_blank"
            rel="noopener"
            className="inline-flex min-h-9 items-center justify-center rounded-lg border border-line bg-raised px-3 hover:bg-hover"
          >
            Continue with {providerNames[provider]}
          </a>
        ))}
      </div>
    </form>
  );
}
