import { getRouteApi, Link } from "@tanstack/react-router";
import { useState } from "react";
import { Button, ButtonLink } from "../../components/button.tsx";
import { NewPasswordField } from "../../components/new-password-field.tsx";
import { api } from "../../data/api.ts";
import { serverPath } from "../../data/server-address.ts";
import { AuthPage, AuthProblem } from "./auth-page.tsx";
import { useAuthForm } from "./use-auth-form.ts";

const route = getRouteApi("/reset-password");

/** The target of the link in a password reset email. */
export function ResetPasswordPage() {
  const { token } = route.useSearch();
  const [isDone, setDone] = useState(false);
  const form = useAuthForm({ newPassword: "" }, async ({ newPassword }) => {
    await api.resetPassword({ body: { token: token ?? "", newPassword } });
    setDone(true);
    history.replaceState(null, "", serverPath("/dashboard/reset-password"));
  });
  if (isDone) {
    return (
      <AuthPage title="Password changed">
        <p>All other sessions were signed out.</p>
        <ButtonLink variant="main" to="/sign-in">
          Sign in
        </ButtonLink>
      </AuthPage>
    );
  }
  return (
    <AuthPage title="Choose a new password">
      {form.problem && (
        <AuthProblem>
          {form.problem}{" "}
          <Link to="/forgot-password" className="underline underline-offset-2">
            Request a new link
          </Link>
        </AuthProblem>
      )}
      <form ref={form.form} noValidate className="grid gap-4" onSubmit={form.onSubmit}>
        <NewPasswordField
          label="New password"
          value={form.values.newPassword}
          onChange={(newPassword) => form.change({ newPassword })}
          error={form.errorAt("newPassword")}
        />
        <Button type="submit" variant="main" isBusy={form.isBusy}>
          Set password
        </Button>
      </form>
    </AuthPage>
  );
}
