import { FoyerError } from "@foyer/sdk";
import { getRouteApi } from "@tanstack/react-router";
import { useState } from "react";
import { Button } from "../../components/button.tsx";
import { Copyable } from "../../components/copyable.tsx";
import { TextField } from "../../components/field.tsx";
import { api } from "../../data/api.ts";
import { Door, DoorProblem } from "./door.tsx";
import { useDoorForm } from "./use-door-form.ts";

const route = getRouteApi("/setup");

/** Makes the owner of an empty server, for whoever has the link that its start printed. */
export function SetUpPage() {
  const { token } = route.useSearch();
  const [made, setMade] = useState<{ agentId: string; apiKey: string }>();
  const [isClosed, setClosed] = useState(!token);
  const form = useDoorForm({ email: "", password: "", agentName: "Harbour" }, async (values) => {
    try {
      const result = await api.setUp({ body: { token: token ?? "", ...values } });
      // The key is shown this once, whatever becomes of signing in, which can be done later.
      await api.signInByEmail({ body: { email: values.email, password: values.password } }).catch(() => {});
      setMade(result);
      // The token has done its work; it need not stay in the history.
      history.replaceState(null, "", "/dashboard/setup");
    } catch (error) {
      if (error instanceof FoyerError && error.code === "NOT_FOUND") setClosed(true);
      throw error;
    }
  });

  if (made) return <Done {...made} agentName={form.values.agentName} />;
  if (isClosed) {
    return (
      <Door title="This set-up link is not valid">
        <p>
          It is wrong, or this server is set up already. The right one is printed when an empty server starts. Who has
          an account can{" "}
          <a href="/dashboard/sign-in" className="underline underline-offset-2">
            sign in
          </a>
          .
        </p>
      </Door>
    );
  }
  return (
    <Door title="Set up this server">
      <p>
        You become its owner, with a first agent to talk to: the assistant of a small bicycle shop, which you can
        change.
      </p>
      {form.problem && <DoorProblem>{form.problem}</DoorProblem>}
      <form ref={form.form} noValidate className="grid gap-4" onSubmit={form.onSubmit}>
        <TextField
          {...{ label: "E-mail", type: "email", autoComplete: "username", autoFocus: true }}
          value={form.values.email}
          onChange={(email) => form.change({ email })}
          error={form.errorAt("email")}
        />
        <TextField
          {...{ label: "Password", type: "password", autoComplete: "new-password", help: "At least 12 characters." }}
          value={form.values.password}
          onChange={(password) => form.change({ password })}
          error={form.errorAt("password")}
        />
        <TextField
          {...{ label: "Name of the first agent", autoComplete: "off", help: "Visitors see it." }}
          value={form.values.agentName}
          onChange={(agentName) => form.change({ agentName })}
          error={form.errorAt("agentName")}
        />
        <Button type="submit" look="main" isBusy={form.isBusy}>
          Set up this server
        </Button>
      </form>
    </Door>
  );
}

function Done({ agentId, apiKey, agentName }: { agentId: string; apiKey: string; agentName: string }) {
  return (
    <Door title="This server is set up">
      <div className="grid gap-2">
        <h2 className="font-medium">Your API key</h2>
        <p className="text-soft">
          For programs. It is shown this once; only its hash is kept. You can make others later.
        </p>
        <Copyable label="the API key" text={apiKey} />
      </div>
      <a
        href={`/dashboard/start?agentId=${agentId}`}
        className="inline-flex min-h-9 items-center justify-center rounded-lg bg-lamp px-3 font-semibold text-on-lamp hover:bg-lamp-hover"
      >
        Go on with {agentName}
      </a>
    </Door>
  );
}
