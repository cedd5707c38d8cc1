import type { PushDevice } from "@foyer/contract";
import { useMutation, useQuery } from "@tanstack/react-query";
import { Button } from "../../../components/button.tsx";
import { Toggle } from "../../../components/field.tsx";
import { Section } from "../../../components/page.tsx";
import { Tag } from "../../../components/status.tsx";
import { Time } from "../../../components/time.tsx";
import { pushProblem, readEndpoint, turnOffPush, turnOnPush } from "../../../data/push-device.ts";
import { queryClient, refresh, useEndpointMutation } from "../../../data/queries.ts";
import { notify } from "../../../data/toasts.ts";

const endpointKey = ["pushEndpoint"];

/** The switch for this browser, and the list of all browsers of the member. */
export function PushDevices({
  userId,
  devices,
  isPushOn,
}: {
  userId: string;
  devices: PushDevice[];
  isPushOn: boolean;
}) {
  const { data: endpoint = null } = useQuery({ queryKey: endpointKey, queryFn: readEndpoint });
  const own = devices.find((device) => device.endpoint === endpoint);
  const problem = pushProblem();
  const change = useMutation({
    mutationFn: (isOn: boolean) => (isOn ? turnOnPush(userId) : turnOffPush(own?.id)),
    onError: (error) => notify(error.message, { isWrong: true }),
    onSettled: () =>
      Promise.all([refresh("getNoticeSettings"), queryClient.invalidateQueries({ queryKey: endpointKey })]),
  });
  return (
    <Section
      title="Devices"
      description={isPushOn ? undefined : "Push is off, so these devices are not notified. Turn it on above."}
    >
      <Toggle
        label="Notify me on this device"
        help={problem ?? "Notifications appear like those of an app and open the conversation."}
        disabled={problem !== null || change.isPending}
        value={change.isPending ? change.variables : own !== undefined}
        onChange={(isOn) => change.mutate(isOn)}
      />
      {devices.length > 0 && (
        <ul className="border-t border-line">
          {devices.map((device) => (
            <DeviceRow key={device.id} device={device} isOwn={device === own} />
          ))}
        </ul>
      )}
    </Section>
  );
}

function DeviceRow({ device: { id, label, createdAt }, isOwn }: { device: PushDevice; isOwn: boolean }) {
  const test = useEndpointMutation("testPushSubscription", { changes: ["getNoticeSettings"] });
  const remove = useEndpointMutation("deletePushSubscription", {
    changes: ["getNoticeSettings"],
    done: `${label} is no longer notified`,
  });
  const send = () =>
    test.mutate(
      { id },
      {
        onSuccess: ({ isDelivered, error, detail }) =>
          isDelivered ? notify("Test notification sent") : notify(detail ?? error ?? "", { isWrong: true }),
      },
    );
  return (
    <li className="flex min-h-12 flex-wrap items-center gap-x-3 border-b border-line py-1">
      <span className="font-medium">{label}</span>
      {isOwn && <Tag>This device</Tag>}
      <span className="flex-1 text-soft">
        Added <Time at={createdAt} />
      </span>
      <Button variant="plain" aria-label={`Send test notification to ${label}`} isBusy={test.isPending} onClick={send}>
        Send test notification
      </Button>
      {!isOwn && (
        <Button
          variant="plain"
          className="text-soft"
          aria-label={`Remove ${label}`}
          isBusy={remove.isPending}
          onClick={() => remove.mutate({ id })}
        >
          Remove
        </Button>
      )}
    </li>
  );
}
