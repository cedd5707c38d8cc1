import { FoyerError } from "@foyer/sdk";
import { useMutation, useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { Button, ButtonLink } from "../../components/button.tsx";
import { ErrorState, Skeleton } from "../../components/states.tsx";
import { api } from "../../data/api.ts";
import { ask, isSignedOut } from "../../data/queries.ts";
import { Door, DoorProblem } from "./door.tsx";

const route = getRouteApi("/invitations/$invitationId");

/** Where an invitation's link leads: joins at once for who is signed in with that address, else by signing in or up. */
export function InvitationPage() {
  const { invitationId: id } = route.useParams();
  const invitation = useQuery(ask("getInvitation", { id }));
  const session = useQuery({ ...ask("getSession"), retry: false });
  const accept = useMutation({
    mutationFn: () => api.acceptInvitation({ id }),
    onSuccess: () => location.assign("/dashboard"),
  });
  const signOut = useMutation({
    mutationFn: () => api.signOut(),
    onSuccess: () => location.reload(),
  });

  if (invitation.error instanceof FoyerError && invitation.error.code === "NOT_FOUND") {
    return (
      <Door title="This invitation is not valid">
        <p>It was used, taken back, or is too old. Ask whoever invited you for a new one.</p>
      </Door>
    );
  }
  const failed = [invitation, session].find(({ error, data }) => error && !data && !isSignedOut(error));
  if (failed)
    return <Door title="Invitation">{<ErrorState error={failed.error} onRetry={() => failed.refetch()} />}</Door>;
  if (!invitation.data || session.isPending) return <Door title="Invitation">{<Skeleton className="h-24" />}</Door>;
  const { email, role, organizationName } = invitation.data;
  const isOther = session.data !== undefined && session.data.user.email.toLowerCase() !== email.toLowerCase();
  return (
    <Door title={`Join ${organizationName}`}>
      <p>
        You are invited as {role === "member" ? "a member" : `an ${role}`}, with the address {email}.
      </p>
      {accept.error && <DoorProblem>{accept.error.message}</DoorProblem>}
      {isOther && (
        <>
          <DoorProblem>
            You are signed in as {session.data.user.email}. Sign out to go on with the other address.
          </DoorProblem>
          <Button onClick={() => signOut.mutate()} isBusy={signOut.isPending}>
            Sign out
          </Button>
        </>
      )}
      {session.data && !isOther && (
        <Button look="main" onClick={() => accept.mutate()} isBusy={accept.isPending}>
          Join {organizationName}
        </Button>
      )}
      {!session.data && (
        <div className="grid gap-2">
          <ButtonLink look="main" to="/sign-up" search={{ invitation: id }}>
            Make an account
          </ButtonLink>
          <ButtonLink to="/sign-in" search={{ next: `/dashboard/invitations/${id}` }}>
            Sign in to one you have
          </ButtonLink>
        </div>
      )}
    </Door>
  );
}
