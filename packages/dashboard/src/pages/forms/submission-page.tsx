import { Page } from "../../components/page.tsx";

export function SubmissionPage() {
  return <Page title="SubmissionPage">{null}</Page>;
}
