import { maxNameLength } from "@foyer/contract/rules/plain-name";
import { FoyerError } from "@foyer/sdk";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useState } from "react";
import { Button, ButtonLink } from "../../components/button.tsx";
import { CopyField } from "../../components/copy-field.tsx";
import { TextField } from "../../components/field.tsx";
import { NewPasswordField } from "../../components/new-password-field.tsx";
import { Skeleton } from "../../components/states.tsx";
import { api } from "../../data/api.ts";
import { serverPath } from "../../data/server-address.ts";
import { AuthPage, AuthProblem } from "./auth-page.tsx";
import { useAuthForm } from "./use-auth-form.ts";

const route = getRouteApi("/setup");

/** Creates the owner of an empty server. It needs the link that the server printed when it started. */
export function SetUpPage() {
  const { token } = route.useSearch();
  const [created, setCreated] = useState<{ agentId: string; apiKey: string }>();
  const check = useTokenCheck(token);
  const form = useAuthForm(
    { email: "", name: "", password: "", organizationName: "", agentName: "Harbour" },
    async (values) => {
      const { email, name, password, agentName, organizationName } = values;
      const names = { name: name.trim() || null, organizationName: organizationName.trim() || null, agentName };
      const body = { token: token ?? "", email, password, ...names };
      const result = await api.setUp({ body }).catch((error) => {
        if (isNotFound(error)) void check.refetch();
        throw error;
      });
      // The token has been used and should not remain in the history.
      history.replaceState(null, "", serverPath("/dashboard/setup"));
      if (await startSession(email, password))
        location.assign(serverPath(`/dashboard/start?agentId=${result.agentId}`));
      else setCreated(result);
    },
  );

  if (created) return <SignInNext {...created} />;
  // Without a token the check never runs and stays pending.
  if (token && check.isPending) return <AuthPage title="Set up this server">{<Skeleton className="h-24" />}</AuthPage>;
  if (!token || isNotFound(check.error)) {
    return (
      <AuthPage title="This setup link is not valid">
        <p>
          The link is wrong, or this server is already set up. An empty server prints the right link when it starts. If
          you have an account,{" "}
          <a href={serverPath("/dashboard/sign-in")} className="underline underline-offset-2">
            sign in
          </a>
          .
        </p>
      </AuthPage>
    );
  }
  return (
    <AuthPage title="Set up this server">
      <p>Create the owner account. We'll add a sample agent, a bike-shop assistant, that you can edit.</p>
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
        <TextField
          label="Your name"
          autoComplete="name"
          isOptional
          maxLength={maxNameLength}
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
        <TextField
          label="Organization"
          autoComplete="organization"
          isOptional
          maxLength={maxNameLength}
          help="Your company or site. Shown in invitations."
          value={form.values.organizationName}
          onChange={(organizationName) => form.change({ organizationName })}
          error={form.errorAt("organizationName")}
        />
        <TextField
          label="Agent name"
          autoComplete="off"
          help="Visitors see this name."
          value={form.values.agentName}
          onChange={(agentName) => form.change({ agentName })}
          error={form.errorAt("agentName")}
        />
        <Button type="submit" variant="main" isBusy={form.isBusy}>
          Set up this server
        </Button>
      </form>
    </AuthPage>
  );
}

/**
 * Checks the link before the user types anything. Other failures are left to the form, which can be submitted again.
 */
function useTokenCheck(token = "") {
  return useQuery({
    queryKey: ["checkSetUpToken", token],
    queryFn: () => api.checkSetUpToken({ body: { token } }),
    enabled: token !== "",
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
  });
}

const isNotFound = (error: unknown) => error instanceof FoyerError && error.code === "NOT_FOUND";

/**
 * Signs the owner in. The API key that the setup creates is meant for a setup without a browser. Here it would remain
 * unused, so it is revoked. The owner can create keys in the settings.
 * @returns whether the owner is signed in. If not, the key is the only way to get access and must be shown
 */
async function startSession(email: string, password: string): Promise<boolean> {
  try {
    await api.signInByEmail({ body: { email, password } });
    const keys = await api.listApiKeys();
    await Promise.all(keys.map(({ id }) => api.deleteApiKey({ id })));
    return true;
  } catch {
    return false;
  }
}

function SignInNext({ agentId, apiKey }: { agentId: string; apiKey: string }) {
  return (
    <AuthPage title="Your server is ready">
      <p>We couldn't sign you in automatically. Sign in with the email and password you just chose.</p>
      <ButtonLink variant="main" to="/sign-in" search={{ next: serverPath(`/dashboard/start?agentId=${agentId}`) }}>
        Sign in
      </ButtonLink>
      <div className="grid gap-2">
        <h2 className="font-medium">API key</h2>
        <p className="text-soft">For use with the API. Copy it now: you won't be able to see it again.</p>
        <CopyField label="the API key" text={apiKey} />
      </div>
    </AuthPage>
  );
}
