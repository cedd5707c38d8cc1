import type { FormAnalyticsEntry } from "@foyer/contract";
import type { FunnelStep } from "./funnel.tsx";

type FormCounts = Pick<FormAnalyticsEntry, "impressions" | "started" | "submitted" | "successful" | "failed">;

/** The steps of a form from its impressions to the deliveries, in the colors of the chart by day. */
export function toFormSteps({ impressions, started, submitted, successful, failed }: FormCounts): FunnelStep[] {
  const underWay = Math.max(0, submitted - successful - failed);
  return [
    { name: "Shown", help: "Times a visitor saw the form", count: impressions, color: "bg-edge" },
    {
      name: "Started",
      help: "Times a visitor filled in a field",
      count: started,
      color: "bg-soft",
      ofBefore: "of shown",
    },
    {
      name: "Submitted",
      help: "Times the form was submitted",
      count: submitted,
      color: "bg-ink",
      ofBefore: "of started",
    },
    {
      name: "Delivered",
      help: deliveredHelp(failed, underWay),
      count: successful,
      color: "bg-lamp",
      ofBefore: "of submitted",
    },
  ];
}

function deliveredHelp(failed: number, underWay: number): string {
  if (failed === 0 && underWay === 0) return "Delivered, or stored only";
  const parts = [
    ...(underWay > 0 ? [`${underWay.toLocaleString()} in progress`] : []),
    ...(failed > 0 ? [`${failed.toLocaleString()} failed`] : []),
  ];
  return `Delivered (${parts.join(", ")})`;
}
