import { type NextRequest, NextResponse } from "next/server";
import { sessions } from "./sessions";

export async function proxy(request: NextRequest) {
  const { response, headers, cookies } = await sessions.handle(request);
  if (response) return response;
  const next = NextResponse.next({ request: { headers } });
  for (const cookie of cookies) next.headers.append("set-cookie", cookie);
  return next;
}

export const config = { matcher: "/((?!_next/).*)" };
