import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "../../components/button.tsx";
import { TextField } from "../../components/field.tsx";
import { api } from "../../data/api.ts";
import { endpointQuery } from "../../data/queries.ts";
import { AuthPage, AuthProblem, BackToSignIn } from "./auth-page.tsx";
import { useAuthForm } from "./use-auth-form.ts";

export function ForgotPasswordPage() {
  const { data: options } = useQuery(endpointQuery("getSignInOptions"));
  const [isSent, setSent] = useState(false);
  const form = useAuthForm({ email: "" }, async (body) => {
    await api.requestPasswordReset({ body });
    setSent(true);
  });
  if (isSent) {
    return (
      <AuthPage title={options?.sendsMail === false ? "Check with your administrator" : "Check your email"}>
        <p>
          {options?.sendsMail === false
            ? "Email isn't set up, so your link is in the server log, or an owner can find it under Settings > Members. If the address has an account, it works for one hour."
            : `If ${form.values.email} has an account, we sent a link. It works for one hour.`}
        </p>
        <BackToSignIn />
      </AuthPage>
    );
  }
  return (
    <AuthPage title="Reset your password">
      <p>We create a link that lets you choose a new one.</p>
      {form.problem && <AuthProblem>{form.problem}</AuthProblem>}
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
        <Button type="submit" variant="main" isBusy={form.isBusy}>
          Get reset link
        </Button>
      </form>
      <BackToSignIn />
    </AuthPage>
  );
}
