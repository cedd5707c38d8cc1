import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { stringParams } from "../search-params.ts";
import { root } from "./root.tsx";

// Public pages, which need no session.
const signIn = createRoute({
  getParentRoute: () => root,
  path: "/sign-in",
  validateSearch: stringParams("next", "error"),
  component: lazyRouteComponent(() => import("../pages/auth/sign-in-page.tsx"), "SignInPage"),
});
const signUp = createRoute({
  getParentRoute: () => root,
  path: "/sign-up",
  validateSearch: stringParams("invitation"),
  component: lazyRouteComponent(() => import("../pages/auth/sign-up-page.tsx"), "SignUpPage"),
});
const setUp = createRoute({
  getParentRoute: () => root,
  path: "/setup",
  validateSearch: stringParams("token"),
  component: lazyRouteComponent(() => import("../pages/auth/set-up-page.tsx"), "SetUpPage"),
});
const forgotPassword = createRoute({
  getParentRoute: () => root,
  path: "/forgot-password",
  component: lazyRouteComponent(() => import("../pages/auth/forgot-password-page.tsx"), "ForgotPasswordPage"),
});
const resetPassword = createRoute({
  getParentRoute: () => root,
  path: "/reset-password",
  validateSearch: stringParams("token"),
  component: lazyRouteComponent(() => import("../pages/auth/reset-password-page.tsx"), "ResetPasswordPage"),
});
const invitation = createRoute({
  getParentRoute: () => root,
  path: "/invitations/$invitationId",
  validateSearch: stringParams("token"),
  component: lazyRouteComponent(() => import("../pages/auth/invitation-page.tsx"), "InvitationPage"),
});

export const authRoutes = [signIn, signUp, setUp, forgotPassword, resetPassword, invitation] as const;
