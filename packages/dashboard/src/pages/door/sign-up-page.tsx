import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useState } from "react";
import { Button } from "../../components/button.tsx";
import { TextField } from "../../components/field.tsx";
import { api } from "../../data/api.ts";
import { ask } from "../../data/queries.ts";
import { Door, DoorProblem } from "./door.tsx";
import { useDoorForm } from "./use-door-form.ts";

const route = getRouteApi("/sign-up");

/** By invitation, or for everybody where the server is open to all. */
export function SignUpPage() {
  const { invitation } = route.useSearch();
  const invited = useQuery({ ...ask("getInvitation", { id: invitation ?? "" }), enabled: invitation !== undefined });
  const [mailedTo, setMailedTo] = useState<string>();
  const form = useDoorForm({ email: "", name: "", password: "" }, async ({ email, name, password }) => {
    const address = invited.data?.email ?? email;
    const { verificationSent } = await api.signUpByEmail({
      body: { email: address, password, name: name || null, invitationId: invitation ?? null },
    });
    if (verificationSent) return setMailedTo(address);
    await api.signInByEmail({ body: { email: address, password } });
    if (invitation) await api.acceptInvitation({ id: invitation });
    location.assign("/dashboard");
  });

  if (mailedTo) {
    return (
      <Door title="Look into your mail">
        <p>
          A link was sent to {mailedTo}. Follow it to confirm the address
          {invitation ? ", then open the invitation once more to join." : ", then sign in."}
        </p>
      </Door>
    );
  }
  if (invited.error) {
    return (
      <Door title="This invitation is not valid">
        <p>It was used, taken back, or is too old. Ask whoever invited you for a new one.</p>
      </Door>
    );
  }
  return (
    <Door title={invited.data ? `Join ${invited.data.organizationName}` : "Make an account"}>
      {form.problem && <DoorProblem>{form.problem}</DoorProblem>}
      <form ref={form.form} noValidate className="grid gap-4" onSubmit={form.onSubmit}>
        <TextField
          {...{ label: "E-mail", type: "email", autoComplete: "username", disabled: invited.data !== undefined }}
          value={invited.data?.email ?? form.values.email}
          onChange={(email) => form.change({ email })}
          error={form.errorAt("email")}
        />
        <TextField
          {...{ label: "Name", autoComplete: "name", isOptional: true }}
          value={form.values.name}
          onChange={(name) => form.change({ name })}
          error={form.errorAt("name")}
        />
        <TextField
          {...{ label: "Password", type: "password", autoComplete: "new-password", help: "At least 12 characters." }}
          value={form.values.password}
          onChange={(password) => form.change({ password })}
          error={form.errorAt("password")}
        />
        <Button type="submit" look="main" isBusy={form.isBusy}>
          Make the account
        </Button>
      </form>
      <p className="text-soft">
        You have one already?{" "}
        <Link
          to="/sign-in"
          search={invitation ? { next: `/dashboard/invitations/${invitation}` } : {}}
          className="underline underline-offset-2"
        >
          Sign in
        </Link>
      </p>
    </Door>
  );
}
