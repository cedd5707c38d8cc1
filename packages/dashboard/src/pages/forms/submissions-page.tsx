import { Page } from "../../components/page.tsx";

export function SubmissionsPage() {
  return <Page title="SubmissionsPage">{null}</Page>;
}
