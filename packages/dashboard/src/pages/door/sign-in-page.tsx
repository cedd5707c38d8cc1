import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useState } from "react";
import { Button } from "../../components/button.tsx";
import { TextField } from "../../components/field.tsx";
import { api } from "../../data/api.ts";
import { ask } from "../../data/queries.ts";
import { Door, DoorProblem } from "./door.tsx";
import { safeNext } from "./safe-next.ts";
import { useDoorForm } from "./use-door-form.ts";

const route = getRouteApi("/sign-in");
const names = { google: "Google", github: "GitHub", oidc: "single sign-on" };

export function SignInPage() {
  const { next, error } = route.useSearch();
  const { data: options } = useQuery(ask("getSignInOptions"));
  const [sentTo, setSentTo] = useState<string>();
  const target = safeNext(next);
  const form = useDoorForm({ email: "", password: "" }, async (body) => {
    await api.signInByEmail({ body });
    location.assign(target);
  });
  const sendLink = () =>
    form.submit(async ({ email }) => {
      await api.sendMagicLink({ body: { email, callbackUrl: target } });
      setSentTo(email);
    });

  if (options?.needsSetUp) return <SetUpFirst />;
  if (sentTo) return <LinkSent to={sentTo} isMailed={options?.sendsMail ?? true} />;
  return (
    <Door title="Sign in">
      {(form.problem || error) && <DoorProblem>{form.problem ?? explainLink(error)}</DoorProblem>}
      <form ref={form.form} noValidate className="grid gap-4" onSubmit={form.onSubmit}>
        <TextField
          {...{ label: "E-mail", type: "email", autoComplete: "username", autoFocus: true }}
          value={form.values.email}
          onChange={(email) => form.change({ email })}
          error={form.errorAt("email")}
        />
        <TextField
          {...{ label: "Password", type: "password", autoComplete: "current-password" }}
          value={form.values.password}
          onChange={(password) => form.change({ password })}
          error={form.errorAt("password")}
        />
        <Button type="submit" look="main" isBusy={form.isBusy}>
          Sign in
        </Button>
        <Button onClick={sendLink} disabled={form.isBusy}>
          Send a link instead
        </Button>
      </form>
      {options && options.providers.length > 0 && (
        <div className="grid gap-2 border-t border-line pt-6">
          {options.providers.map((provider) => (
            <a
              key={provider}
              href={`/auth/sign-in/${provider}?callbackUrl=${encodeURIComponent(target)}`}
              className="inline-flex min-h-9 items-center justify-center rounded-lg border border-line bg-raised px-3 hover:bg-sunken"
            >
              Go on with {names[provider]}
            </a>
          ))}
        </div>
      )}
      <p className="flex flex-wrap gap-x-4 text-soft">
        <Link to="/forgot-password" className="underline underline-offset-2">
          Forgot the password
        </Link>
        {options?.openSignUp && (
          <Link to="/sign-up" className="underline underline-offset-2">
            Make an account
          </Link>
        )}
      </p>
    </Door>
  );
}

function SetUpFirst() {
  return (
    <Door title="This server is not set up yet">
      <p>
        When it started, it printed a link that makes its owner. Open that link; it is in the log, after the words{" "}
        <span className="font-medium">Set up</span>.
      </p>
    </Door>
  );
}

function LinkSent({ to, isMailed }: { to: string; isMailed: boolean }) {
  return (
    <Door title={isMailed ? "Look into your mail" : "A link was made"}>
      {isMailed ? (
        <p>If {to} has an account here, a link is on its way. It works once, within ten minutes.</p>
      ) : (
        <p>
          This server sends no mail. If {to} has an account here, its link is in the server's log, or with an owner,
          under Settings, Members. It works once, within ten minutes.
        </p>
      )}
    </Door>
  );
}

/** Codes of better-auth and of OAuth providers, for whoever followed a link that failed. */
function explainLink(code = "") {
  const name = code.toLowerCase();
  if (/token|expired|attempts/.test(name)) return "That link is wrong, was used, or is too old. Ask for a new one.";
  if (/access_denied/.test(name)) return "The other service did not let you in, or you turned back.";
  if (/state/.test(name)) return "That sign-in was begun in another browser, or too long ago. Start again here.";
  if (/signup|sign_up/.test(name)) return "There is no account for that address here. Ask for an invitation.";
  return "Signing in did not work. Try again, or another way.";
}
