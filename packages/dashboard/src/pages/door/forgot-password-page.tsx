import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { Button } from "../../components/button.tsx";
import { TextField } from "../../components/field.tsx";
import { api } from "../../data/api.ts";
import { ask } from "../../data/queries.ts";
import { Door, DoorProblem } from "./door.tsx";
import { useDoorForm } from "./use-door-form.ts";

export function ForgotPasswordPage() {
  const { data: options } = useQuery(ask("getSignInOptions"));
  const [isSent, setSent] = useState(false);
  const form = useDoorForm({ email: "" }, async (body) => {
    await api.requestPasswordReset({ body });
    setSent(true);
  });
  if (isSent) {
    return (
      <Door title={options?.sendsMail === false ? "A link was made" : "Look into your mail"}>
        <p>
          {options?.sendsMail === false
            ? "This server sends no mail. If the address has an account, its link is in the server's log, or with an owner, under Settings, Members."
            : `If ${form.values.email} has an account here, a link is on its way. It works for an hour.`}
        </p>
      </Door>
    );
  }
  return (
    <Door title="Set a new password">
      <p>You get a link that lets you choose a new one.</p>
      {form.problem && <DoorProblem>{form.problem}</DoorProblem>}
      <form ref={form.form} noValidate className="grid gap-4" onSubmit={form.onSubmit}>
        <TextField
          {...{ label: "E-mail", type: "email", autoComplete: "username", autoFocus: true }}
          value={form.values.email}
          onChange={(email) => form.change({ email })}
          error={form.errorAt("email")}
        />
        <Button type="submit" look="main" isBusy={form.isBusy}>
          Send the link
        </Button>
      </form>
      <p className="text-soft">
        <Link to="/sign-in" className="underline underline-offset-2">
          Back to signing in
        </Link>
      </p>
    </Door>
  );
}
