import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useState } from "react";
import { Button } from "../../components/button.tsx";
import { TextField } from "../../components/field.tsx";
import { NewPasswordField } from "../../components/new-password-field.tsx";
import { api } from "../../data/api.ts";
import { endpointQuery } from "../../data/queries.ts";
import { serverPath } from "../../data/server-address.ts";
import { AuthPage, AuthProblem, BackToSignIn } from "./auth-page.tsx";
import { useAuthForm } from "./use-auth-form.ts";

const route = getRouteApi("/sign-up");

/** Creates an account by invitation, or for anyone if the server allows open sign-up. */
export function SignUpPage() {
  const { invitation } = route.useSearch();
  const invited = useQuery({
    ...endpointQuery("getInvitation", { id: invitation ?? "" }),
    enabled: invitation !== undefined,
  });
  const [mailedTo, setMailedTo] = useState<string>();
  const form = useAuthForm({ email: "", name: "", password: "" }, async ({ email, name, password }) => {
    const address = invited.data?.email ?? email;
    const { verificationSent } = await api.signUpByEmail({
      body: { email: address, password, name: name || null, invitationId: invitation ?? null },
    });
    if (verificationSent) return setMailedTo(address);
    await api.signInByEmail({ body: { email: address, password } });
    if (invitation) await api.acceptInvitation({ id: invitation });
    location.assign(serverPath("/dashboard"));
  });

  if (mailedTo) {
    return (
      <AuthPage title="Check your email">
        <p>
          We sent a link to {mailedTo}. Open it to confirm your address
          {invitation ? ". You then sign in and join." : ", then sign in."}
        </p>
        <BackToSignIn />
      </AuthPage>
    );
  }
  if (invited.error) {
    return (
      <AuthPage title="This invitation is not valid">
        <p>It was already used, was revoked or has expired. Ask the person who invited you for a new one.</p>
        <BackToSignIn />
      </AuthPage>
    );
  }
  return (
    <AuthPage title={invited.data ? `Join ${invited.data.organizationName}` : "Create account"}>
      {form.problem && <AuthProblem>{form.problem}</AuthProblem>}
      <form ref={form.form} noValidate className="grid gap-4" onSubmit={form.onSubmit}>
        <TextField
          label="Email"
          type="email"
          autoComplete="username"
          disabled={invited.data !== undefined}
          value={invited.data?.email ?? form.values.email}
          onChange={(email) => form.change({ email })}
          error={form.errorAt("email")}
        />
        <TextField
          label="Name"
          autoComplete="name"
          isOptional
          help="Visitors see it when you answer them."
          value={form.values.name}
          onChange={(name) => form.change({ name })}
          error={form.errorAt("name")}
        />
        <NewPasswordField
          value={form.values.password}
          onChange={(password) => form.change({ password })}
          error={form.errorAt("password")}
        />
        <Button type="submit" variant="main" isBusy={form.isBusy}>
          Create account
        </Button>
      </form>
      <p className="text-soft">
        Already have an account?{" "}
        <Link
          to="/sign-in"
          search={invitation ? { next: serverPath(`/dashboard/invitations/${invitation}`) } : {}}
          className="underline underline-offset-2"
        >
          Sign in
        </Link>
      </p>
    </AuthPage>
  );
}
