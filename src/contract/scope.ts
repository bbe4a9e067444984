// Whose memory: a tenant's user. Nothing is read or written across scopes.

/** `tenant` and `user` are compared exactly, as UTF-8; neither may be empty. */
export interface Scope {
  readonly tenant: string;
  readonly user: string;
}

/** One name for each scope, for maps by scope. */
export function scopeName({ tenant, user }: Scope): string {
  return JSON.stringify([tenant, user]);
}
