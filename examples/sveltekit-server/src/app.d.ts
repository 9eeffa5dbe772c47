declare namespace App {
  interface Locals { session?: import("@steward/sdk/server").WebSession }
}
