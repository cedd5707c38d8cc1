import { FoyerError } from "@foyer/sdk";
import { useMutation, useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { Button, ButtonLink } from "../../components/button.tsx";
import { TextField } from "../../components/field.tsx";
import { NewPasswordField } from "../../components/new-password-field.tsx";
import { ErrorState, Skeleton } from "../../components/states.tsx";
import { api } from "../../data/api.ts";
import { endpointQuery, isSignedOut } from "../../data/queries.ts";
import { serverPath } from "../../data/server-address.ts";
import { signOut } from "../../data/sign-out.ts";
import { AuthPage, AuthProblem, BackToSignIn } from "./auth-page.tsx";
import { useAuthForm } from "./use-auth-form.ts";

const route = getRouteApi("/invitations/$invitationId");

/**
 * Accepts an invitation: with one click when signed in with the invited address, otherwise after signing in or up. The
 * emailed link has a token that proves the address, so its recipient only chooses a name and a password.
 */
export function InvitationPage() {
  const { invitationId: id } = route.useParams();
  const { token } = route.useSearch();
  const invitation = useQuery(endpointQuery("getInvitation", { id }));
  const session = useQuery({ ...endpointQuery("getSession"), retry: false });
  const accept = useMutation({
    mutationFn: () => api.acceptInvitation({ id }),
    onSuccess: () => location.assign(serverPath("/dashboard")),
  });
  const leave = useMutation({ mutationFn: () => signOut({ leaveTo: location.pathname }) });

  if (invitation.error instanceof FoyerError && invitation.error.code === "NOT_FOUND") {
    return (
      <AuthPage title="This invitation is not valid">
        <p>It was already used, was revoked or has expired. Ask the person who invited you for a new one.</p>
        <BackToSignIn />
      </AuthPage>
    );
  }
  const failed = [invitation, session].find(({ error, data }) => error && !data && !isSignedOut(error));
  if (failed)
    return (
      <AuthPage title="Invitation">{<ErrorState error={failed.error} onRetry={() => failed.refetch()} />}</AuthPage>
    );
  if (!invitation.data || session.isPending)
    return <AuthPage title="Invitation">{<Skeleton className="h-24" />}</AuthPage>;
  const { email, role, organizationName } = invitation.data;
  const isOther = session.data !== undefined && session.data.user.email.toLowerCase() !== email.toLowerCase();
  return (
    <AuthPage title={`Join ${organizationName}`}>
      <p>
        You were invited as {role === "member" ? "a member" : `an ${role}`} with the address {email}.
        {!session.data && token && " Choose a name and a password to join."}
      </p>
      {accept.error && <AuthProblem>{accept.error.message}</AuthProblem>}
      {isOther && (
        <>
          <AuthProblem>
            You are signed in as {session.data.user.email}. Sign out to continue with the invited address.
          </AuthProblem>
          <Button onClick={() => leave.mutate()} isBusy={leave.isPending}>
            Sign out
          </Button>
        </>
      )}
      {session.data && !isOther && (
        <Button variant="main" onClick={() => accept.mutate()} isBusy={accept.isPending}>
          Join {organizationName}
        </Button>
      )}
      {!session.data && token && <JoinForm id={id} email={email} token={token} organizationName={organizationName} />}
      {!session.data && !token && (
        <div className="grid gap-2">
          <ButtonLink variant="main" to="/sign-up" search={{ invitation: id }}>
            Create account
          </ButtonLink>
          <ButtonLink to="/sign-in" search={{ next: serverPath(`/dashboard/invitations/${id}`) }}>
            Sign in to an existing account
          </ButtonLink>
        </div>
      )}
    </AuthPage>
  );
}

/** Creates the account of the invited person, who is then signed in and a member. */
function JoinForm({
  id,
  email,
  token,
  organizationName,
}: {
  id: string;
  email: string;
  token: string;
  organizationName: string;
}) {
  const form = useAuthForm({ name: "", password: "" }, async ({ name, password }) => {
    await api.signUpByEmail({ body: { email, name, password, invitationId: id, invitationToken: token } });
    location.assign(serverPath("/dashboard"));
  });
  return (
    <>
      {form.problem && <AuthProblem>{form.problem}</AuthProblem>}
      <form ref={form.form} noValidate className="grid gap-4" onSubmit={form.onSubmit}>
        {/* Password managers store the password under this address. */}
        <input type="hidden" name="email" autoComplete="username" value={email} />
        <TextField
          label="Your name"
          autoComplete="name"
          help="Your team and the visitors you talk to see this name."
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
          Join {organizationName}
        </Button>
      </form>
      <p className="text-soft">
        Already have an account?{" "}
        <Link
          to="/sign-in"
          search={{ next: serverPath(`/dashboard/invitations/${id}`) }}
          className="underline underline-offset-2"
        >
          Sign in
        </Link>{" "}
        to join.
      </p>
    </>
  );
}
