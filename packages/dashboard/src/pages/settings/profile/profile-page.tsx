import { useSuspenseQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Button } from "../../../components/button.tsx";
import { Page, Section } from "../../../components/page.tsx";
import { SegmentedControl } from "../../../components/segmented-control.tsx";
import { Status, Tag } from "../../../components/status.tsx";
import { endpointQuery, queryClient, useEndpointMutation } from "../../../data/queries.ts";
import { signOut } from "../../../data/sign-out.ts";
import { chooseTheme, type Theme, useTheme } from "../../../data/theme.ts";
import { canOpen } from "../../../shell/destinations.tsx";
import { roleNames } from "../members/role-select.tsx";
import { NameForm } from "./name-form.tsx";
import { PasswordForm } from "./password-form.tsx";

/** The user's own account. */
export function ProfilePage() {
  const { data: session } = useSuspenseQuery(endpointQuery("getSession"));
  const { user } = session;
  return (
    <Page title="You" description="Your account on this server.">
      <Section title="Account">
        <dl className="grid grid-cols-[auto_1fr] gap-x-8 gap-y-2">
          <dt className="text-soft">Email</dt>
          <dd className="flex flex-wrap items-center gap-x-3">
            {user.email} {!user.emailVerified && <Status tone="warning">Not confirmed</Status>}
          </dd>
        </dl>
        {!user.emailVerified && <ConfirmAddress email={user.email} />}
        <OwnName name={user.name} />
      </Section>
      <Section title="Appearance" description="Applies to this browser.">
        <ThemeChoice />
      </Section>
      {canOpen(session.role, { minimumRole: "admin" }) && session.organization && (
        <OrganizationName name={session.organization.name} />
      )}
      <Organizations session={session} />
      <Section title="Password" description="Changing it signs you out of all other browsers.">
        <PasswordForm userId={user.id} />
      </Section>
      <Section title="This session" description="Sign out of this browser.">
        <Button className="justify-self-start" onClick={() => void signOut()}>
          Sign out
        </Button>
      </Section>
    </Page>
  );
}

function OwnName({ name }: { name: string }) {
  const save = useEndpointMutation("updateProfile", { changes: ["getSession", "listMembers"], done: "Name saved" });
  return (
    <NameForm
      label="Your name"
      help="Shown to visitors you answer, to other members and in the audit log."
      autoComplete="name"
      name={name}
      onSave={(value) => save.mutateAsync({ body: { name: value } })}
    />
  );
}

function OrganizationName({ name }: { name: string }) {
  const save = useEndpointMutation("updateOrganization", { changes: ["getSession"], done: "Organization renamed" });
  return (
    <Section title="Organization name">
      <NameForm
        label="Name"
        help="Shown in invitations. Up to 60 characters."
        autoComplete="organization"
        name={name}
        onSave={(value) => save.mutateAsync({ body: { name: value } })}
      />
    </Section>
  );
}

function ConfirmAddress({ email }: { email: string }) {
  const send = useEndpointMutation("sendVerificationEmail", { done: `Confirmation link created for ${email}` });
  return (
    <Button className="justify-self-start" isBusy={send.isPending} onClick={() => send.mutate({ body: { email } })}>
      Send confirmation link
    </Button>
  );
}

const themes: ReadonlyArray<{ value: Theme; label: string }> = [
  { value: "system", label: "Match system" },
  { value: "light", label: "Light" },
  { value: "dark", label: "Dark" },
];

function ThemeChoice() {
  return <SegmentedControl label="Appearance" value={useTheme()} onChange={chooseTheme} options={themes} />;
}

function Organizations({
  session: { organization, organizations },
}: {
  session: { organization: { id: string } | null; organizations: Organization[] };
}) {
  const navigate = useNavigate();
  const change = useEndpointMutation("switchOrganization");
  const switchTo = (organizationId: string) =>
    change.mutate(
      { body: { organizationId } },
      {
        onSuccess: () => {
          // All cached data belongs to the previous organization.
          queryClient.clear();
          navigate({ to: "/" });
        },
      },
    );
  return (
    <Section title={organizations.length === 1 ? "Organization" : "Organizations"}>
      <ul className="border-t border-line">
        {organizations.map(({ id, name, role }) => (
          <li key={id} className="flex min-h-12 flex-wrap items-center gap-x-3 border-b border-line py-1">
            <span className="font-medium">{name}</span>
            <span className="flex-1 text-soft">{roleNames[role]}</span>
            {id === organization?.id ? (
              organizations.length > 1 && <Tag>Current</Tag>
            ) : (
              <Button isBusy={change.isPending} onClick={() => switchTo(id)}>
                Switch to {name}
              </Button>
            )}
          </li>
        ))}
      </ul>
    </Section>
  );
}

type Organization = { id: string; name: string; role: keyof typeof roleNames };
