import type { TeamAssignment } from "@foyer/contract";
import { maxOpenMinutes } from "@foyer/contract/rules/limits";
import type { Output } from "@foyer/sdk";
import { useQuery } from "@tanstack/react-query";
import { NumberField, Select, TextArea, TextField, Toggle } from "../../../components/field.tsx";
import { FormDialog } from "../../../components/form-dialog.tsx";
import { useDialogForm } from "../../../components/use-dialog-form.ts";
import { api } from "../../../data/api.ts";
import { endpointQuery, refresh } from "../../../data/queries.ts";
import { notify } from "../../../data/toasts.ts";
import { OfficeHoursFields } from "../../agents/handoff/office-hours-fields.tsx";

type Team = Output<"listTeams">[number];
type Members = ReadonlyArray<{ userId: string; capacity: number }>;

export const assignmentNames: Record<TeamAssignment, string> = {
  manual: "Members take conversations",
  round_robin: "In turn",
  least_busy: "To the least busy member",
};

const NEW_CAPACITY = 5;

/** Creates a team, or edits one. */
export function TeamDialog({
  team,
  teams,
  onClose,
}: {
  team: Team | null;
  teams: readonly Team[];
  onClose: () => void;
}) {
  const initial = {
    name: team?.name ?? "",
    description: team?.description ?? "",
    members: (team?.members ?? []).flatMap(({ userId, capacity }) => (userId ? [{ userId, capacity }] : [])),
    assignment: team?.assignment ?? "manual",
    targets: team?.targets ?? { firstAnswer: null, nextAnswer: null, resolution: null },
    escalation: team?.escalation ?? null,
    officeHours: team?.officeHours ?? null,
  };
  const form = useDialogForm(initial, async (values) => {
    const body = { ...values, description: values.description.trim() || null };
    if (team) await api.updateTeam({ id: team.id, body });
    else await api.createTeam({ body });
    await refresh("listTeams", "listConversations", "getConversation");
    notify(team ? "Team saved" : "Team created");
    onClose();
  });
  const { values, change, errorAt } = form;
  return (
    <FormDialog
      title={team ? "Edit team" : "Create team"}
      action={team ? "Save" : "Create team"}
      form={form}
      onClose={onClose}
    >
      <TextField
        label="Name"
        autoComplete="off"
        placeholder="Workshop"
        value={values.name}
        onChange={(name) => change({ name })}
        error={errorAt("name")}
      />
      <TextArea
        label="Description"
        isOptional
        help="With a description, agents can choose this team when they request a person."
        rows={2}
        placeholder="Repairs, spare parts and appointments"
        value={values.description}
        onChange={(description) => change({ description })}
        error={errorAt("description")}
      />
      <MembersFields members={values.members} onChange={(members) => change({ members: [...members] })} />
      <Select
        label="Assignment"
        help="Conversations are assigned automatically only to members who are present. Others wait."
        value={values.assignment}
        onChange={(assignment) => change({ assignment })}
        options={[
          { value: "manual", label: assignmentNames.manual },
          { value: "round_robin", label: assignmentNames.round_robin },
          { value: "least_busy", label: assignmentNames.least_busy },
        ]}
      />
      <TargetFields values={values.targets} onChange={(targets) => change({ targets })} />
      <EscalationFields
        value={values.escalation}
        others={teams.filter(({ id }) => id !== team?.id)}
        onChange={(escalation) => change({ escalation })}
      />
      <OfficeHoursFields
        help="Off: the team's targets and escalation count every hour."
        value={values.officeHours}
        onChange={(officeHours) => change({ officeHours })}
        errorAt={(path) => errorAt(path === "" ? "officeHours" : `officeHours.${path}`)}
      />
    </FormDialog>
  );
}

function MembersFields({ members, onChange }: { members: Members; onChange: (members: Members) => void }) {
  const everyone = useQuery(endpointQuery("listMembers")).data ?? [];
  return (
    <fieldset className="grid gap-3">
      <legend className="mb-2 font-medium">Members</legend>
      {everyone.map(({ id, name, email }) => {
        const member = members.find(({ userId }) => userId === id);
        const others = members.filter(({ userId }) => userId !== id);
        const shown = name || email;
        return (
          <div key={id} className="grid gap-2">
            <Toggle
              label={shown}
              value={member !== undefined}
              onChange={(isMember) => onChange(isMember ? [...others, { userId: id, capacity: NEW_CAPACITY }] : others)}
            />
            {member && (
              <NumberField
                label={`Conversations at once for ${shown}`}
                min={1}
                max={1_000}
                step={1}
                inputMode="numeric"
                className="max-w-28"
                value={member.capacity}
                onChange={(capacity) =>
                  onChange(
                    members.map((one) =>
                      one.userId === id ? { userId: id, capacity: capacity ?? NEW_CAPACITY } : one,
                    ),
                  )
                }
              />
            )}
          </div>
        );
      })}
    </fieldset>
  );
}

function TargetFields({ values, onChange }: { values: Team["targets"]; onChange: (targets: Team["targets"]) => void }) {
  const field = {
    min: 1,
    max: maxOpenMinutes,
    step: 1,
    inputMode: "numeric",
    placeholder: "None",
    className: "w-full min-w-0",
  } as const;
  return (
    <fieldset>
      <legend className="mb-2 font-medium">Targets</legend>
      <p className="mb-2 text-sm text-soft">In minutes within the office hours</p>
      <div className="grid grid-cols-3 items-end gap-3">
        <NumberField
          {...field}
          label="First answer"
          value={values.firstAnswer}
          onChange={(firstAnswer) => onChange({ ...values, firstAnswer })}
        />
        <NumberField
          {...field}
          label="Next answer"
          value={values.nextAnswer}
          onChange={(nextAnswer) => onChange({ ...values, nextAnswer })}
        />
        <NumberField
          {...field}
          label="Resolution"
          value={values.resolution}
          onChange={(resolution) => onChange({ ...values, resolution })}
        />
      </div>
    </fieldset>
  );
}

const NEW_ESCALATION_MINUTES = 15;

function EscalationFields({
  value,
  others,
  onChange,
}: {
  value: Team["escalation"];
  others: readonly Team[];
  onChange: (escalation: Team["escalation"]) => void;
}) {
  if (others.length === 0) return null;
  return (
    <>
      <Select
        label="If no member takes a conversation"
        value={value?.teamId ?? ""}
        onChange={(teamId) =>
          onChange(teamId === "" ? null : { teamId, afterMinutes: value?.afterMinutes ?? NEW_ESCALATION_MINUTES })
        }
        options={[
          { value: "", label: "It keeps waiting" },
          ...others.map(({ id, name }) => ({ value: id, label: `It passes to ${name}` })),
        ]}
      />
      {value && (
        <NumberField
          label="After how many minutes"
          min={1}
          max={maxOpenMinutes}
          step={1}
          inputMode="numeric"
          className="max-w-28"
          value={value.afterMinutes}
          onChange={(afterMinutes) => onChange({ ...value, afterMinutes: afterMinutes ?? NEW_ESCALATION_MINUTES })}
        />
      )}
    </>
  );
}
