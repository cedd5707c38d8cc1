import { useSuspenseQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Button } from "../../components/button.tsx";
import { ChoiceBar } from "../../components/choice-bar.tsx";
import { Page, Section } from "../../components/page.tsx";
import { Status, Tag } from "../../components/status.tsx";
import { api } from "../../data/api.ts";
import { ask, queryClient, useCall } from "../../data/queries.ts";
import { chooseTheme, type Theme, useTheme } from "../../data/theme.ts";
import { PasswordForm } from "./password-form.tsx";
import { roleNames } from "./role-select.tsx";

/** Who is signed in, and what is theirs alone. */
export function ProfilePage() {
  const { data: session } = useSuspenseQuery(ask("getSession"));
  const { user } = session;
  return (
    <Page title="You" description="Your own account on this server.">
      <Section title="Account">
        <dl className="grid grid-cols-[auto_1fr] gap-x-8 gap-y-2">
          <dt className="text-soft">Name</dt>
          <dd>{user.name}</dd>
          <dt className="text-soft">E-mail</dt>
          <dd className="flex flex-wrap items-center gap-x-3">
            {user.email} {!user.emailVerified && <Status tone="warning">Not confirmed yet</Status>}
          </dd>
        </dl>
        {!user.emailVerified && <ConfirmAddress email={user.email} />}
      </Section>
      <Section title="Appearance" description="In this browser.">
        <ThemeChoice />
      </Section>
      <Organizations session={session} />
      <Section title="Password" description="A change ends every other session of yours, in every browser.">
        <PasswordForm />
      </Section>
      <Section title="This session" description="Signs you out of this browser.">
        <Button className="justify-self-start" onClick={signOut}>
          Sign out
        </Button>
      </Section>
    </Page>
  );
}

function ConfirmAddress({ email }: { email: string }) {
  const send = useCall("sendVerificationEmail", { done: `A link was made for ${email}` });
  return (
    <Button className="justify-self-start" isBusy={send.isPending} onClick={() => send.mutate({ body: { email } })}>
      Send the link that confirms it
    </Button>
  );
}

const themes: ReadonlyArray<{ value: Theme; label: string }> = [
  { value: "system", label: "As the system" },
  { value: "light", label: "Light" },
  { value: "dark", label: "Dark" },
];

function ThemeChoice() {
  return <ChoiceBar label="Appearance" value={useTheme()} onChange={chooseTheme} options={themes} />;
}

function Organizations({
  session: { organization, organizations },
}: {
  session: { organization: { id: string } | null; organizations: Organization[] };
}) {
  const navigate = useNavigate();
  const change = useCall("switchOrganization");
  const switchTo = (organizationId: string) =>
    change.mutate(
      { body: { organizationId } },
      {
        onSuccess: () => {
          // Nothing that was loaded belongs to the other organization.
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
              organizations.length > 1 && <Tag>Here</Tag>
            ) : (
              <Button isBusy={change.isPending} onClick={() => switchTo(id)}>
                Go to {name}
              </Button>
            )}
          </li>
        ))}
      </ul>
    </Section>
  );
}

type Organization = { id: string; name: string; role: keyof typeof roleNames };

async function signOut() {
  await api.signOut();
  queryClient.clear();
  location.assign("/dashboard/sign-in");
}
