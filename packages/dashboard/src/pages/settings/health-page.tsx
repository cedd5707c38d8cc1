import { Page } from "../../components/page.tsx";

export function HealthPage() {
  return <Page title="HealthPage">{null}</Page>;
}
