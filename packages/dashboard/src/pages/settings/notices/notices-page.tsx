import { useSuspenseQuery } from "@tanstack/react-query";
import { Button } from "../../../components/button.tsx";
import { Toggle } from "../../../components/field.tsx";
import { Page, Section } from "../../../components/page.tsx";
import { endpointQuery, useEndpointMutation } from "../../../data/queries.ts";
import { notify } from "../../../data/toasts.ts";
import { NoticeChannels } from "./notice-channels.tsx";
import { PushDevices } from "./push-devices.tsx";

/** How members and the team's chats are notified when a visitor is waiting for a person. */
export function NoticesPage() {
  const { data: session } = useSuspenseQuery(endpointQuery("getSession"));
  const { data: settings } = useSuspenseQuery(endpointQuery("getNoticeSettings"));
  const save = useEndpointMutation("putNoticeSettings", { changes: ["getNoticeSettings"] });
  const { email, push } = { ...settings, ...(save.isPending ? save.variables.body : {}) };
  return (
    <Page title="Notifications" description="How your team is notified when a visitor waits for a person.">
      <Section title="Your notifications" description="Only for you, in this organization.">
        <Toggle
          label="Email"
          help={
            settings.canEmail
              ? `Sent to ${session.user.email} when it is your turn to answer a waiting visitor.`
              : "This server cannot send email because SMTP_URL is not set."
          }
          disabled={!settings.canEmail}
          value={settings.canEmail && email}
          onChange={(value) => save.mutate({ body: { email: value } })}
        />
        {settings.canEmail && <TestEmail />}
        <Toggle
          label="Push"
          help={
            settings.devices.length > 0
              ? "Shown on your devices during the agent's office hours, even while the dashboard is closed."
              : "No device is registered. Turn on this device below first."
          }
          disabled={settings.devices.length === 0}
          value={push && settings.devices.length > 0}
          onChange={(value) => save.mutate({ body: { push: value } })}
        />
      </Section>
      <PushDevices userId={session.user.id} devices={settings.devices} isPushOn={push} />
      <NoticeChannels role={session.role} />
    </Page>
  );
}

function TestEmail() {
  const test = useEndpointMutation("testEmailNotice");
  const send = () =>
    test.mutate(undefined, {
      onSuccess: ({ isDelivered, error, detail }) =>
        isDelivered ? notify("Test notification sent") : notify(detail ?? error ?? "", { isWrong: true }),
    });
  return (
    <div>
      <Button isBusy={test.isPending} onClick={send}>
        Send test notification
      </Button>
    </div>
  );
}
