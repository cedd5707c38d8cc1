import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useState } from "react";
import { Button } from "../../components/button.tsx";
import { TextField } from "../../components/field.tsx";
import { api } from "../../data/api.ts";
import { endpointQuery } from "../../data/queries.ts";
import { serverPath } from "../../data/server-address.ts";
import { AuthPage, AuthProblem } from "./auth-page.tsx";
import { safeNext } from "./safe-next.ts";
import { useAuthForm } from "./use-auth-form.ts";

const route = getRouteApi("/sign-in");
const names = { google: "Google", github: "GitHub", oidc: "single sign-on" };

export function SignInPage() {
  const { next, error } = route.useSearch();
  const { data: options } = useQuery(endpointQuery("getSignInOptions"));
  const [sentTo, setSentTo] = useState<string>();
  const target = safeNext(next);
  const form = useAuthForm({ email: "", password: "" }, async (body) => {
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
    <AuthPage title="Sign in">
      {(form.problem || error) && <AuthProblem>{form.problem ?? explainLinkError(error)}</AuthProblem>}
      <form ref={form.form} noValidate className="grid gap-4" onSubmit={form.onSubmit}>
        <TextField
          label="Email"
          type="email"
          autoComplete="username"
          autoFocus
          value={form.values.email}
          onChange={(email) => form.change({ email })}
          error={form.errorAt("email")}
        />
        <TextField
          label="Password"
          type="password"
          autoComplete="current-password"
          value={form.values.password}
          onChange={(password) => form.change({ password })}
          error={form.errorAt("password")}
        />
        <Button type="submit" variant="main" isBusy={form.isBusy}>
          Sign in
        </Button>
        <Button onClick={sendLink} disabled={form.isBusy}>
          Email me a sign-in link
        </Button>
      </form>
      {options && options.providers.length > 0 && (
        <div className="grid gap-2 border-t border-line pt-6">
          {options.providers.map((provider) => (
            <a
              key={provider}
              href={serverPath(`/auth/sign-in/${provider}?callbackUrl=${encodeURIComponent(target)}`)}
              className="inline-flex min-h-9 items-center justify-center rounded-lg border border-line bg-raised px-3 hover:bg-hover"
            >
              Continue with {names[provider]}
            </a>
          ))}
        </div>
      )}
      <p className="flex flex-wrap gap-x-4 text-soft">
        <Link to="/forgot-password" className="underline underline-offset-2">
          Forgot password?
        </Link>
        {options?.openSignUp && (
          <Link to="/sign-up" className="underline underline-offset-2">
            Create account
          </Link>
        )}
      </p>
    </AuthPage>
  );
}

function SetUpFirst() {
  return (
    <AuthPage title="This server is not set up yet">
      <p>
        The server printed a setup link when it started. Open that link to create the owner account. You can find it in
        the server log, next to <span className="font-medium">Set up</span>.
      </p>
    </AuthPage>
  );
}

function LinkSent({ to, isMailed }: { to: string; isMailed: boolean }) {
  return (
    <AuthPage title={isMailed ? "Check your email" : "Check with your administrator"}>
      {isMailed ? (
        <p>If {to} has an account, we sent a sign-in link. It works once and expires in ten minutes.</p>
      ) : (
        <p>
          Email isn't set up, so your link is in the server log, or an owner can find it under Settings &gt; Members. If{" "}
          {to} has an account, it works once and expires in ten minutes.
        </p>
      )}
      <p className="text-soft">
        <a href={serverPath("/dashboard/sign-in")} className="underline underline-offset-2">
          Back to sign in
        </a>
      </p>
    </AuthPage>
  );
}

/** Explains error codes of better-auth and OAuth providers after a sign-in link failed. */
function explainLinkError(code = "") {
  const name = code.toLowerCase();
  if (/token|expired|attempts/.test(name))
    return "That link is invalid, was already used or has expired. Request a new one.";
  if (/access_denied/.test(name)) return "The other service denied access, or you canceled.";
  if (/state/.test(name)) return "That sign-in was started in another browser or has expired. Try again here.";
  if (/signup|sign_up/.test(name)) return "There is no account for that address. Ask for an invitation.";
  if (/account_not_linked|address_not_confirmed/.test(name))
    return "The sign-in provider doesn't confirm your email address (email_verified). The operator of this server can trust its addresses with OIDC_TRUST_EMAIL=true.";
  if (/email_not_found/.test(name))
    return "The sign-in provider sent no email address. The operator of this server can name the claim that contains it with OIDC_EMAIL_CLAIM.";
  if (/invalid_code/.test(name))
    return "The sign-in provider refused this server. The operator finds the reason in the server log, and can check OIDC_CLIENT_ID and OIDC_CLIENT_SECRET.";
  return "Sign-in failed. Try again or use another method.";
}
