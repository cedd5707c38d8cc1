import { Page } from "../../components/page.tsx";

export function FormAnalyticsPage() {
  return <Page title="FormAnalyticsPage">{null}</Page>;
}
