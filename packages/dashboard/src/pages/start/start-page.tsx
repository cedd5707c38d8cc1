import { Page } from "../../components/page.tsx";

export function StartPage() {
  return <Page title="StartPage">{null}</Page>;
}
