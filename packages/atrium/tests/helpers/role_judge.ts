/*
 * Decides by the letter of U2 and U3 what roles allow on records: slowly, record by record and role by role,
 * in memory. It shares no code with the application.
 */
import type { PermissionsDocument } from '#admin'

export type Reaches = (record: any) => boolean

/** Scopes by name, as predicates */
export type Scopes = Readonly<Record<string, Reaches>>

export class RoleJudge {
  constructor(
    private readonly roles: readonly PermissionsDocument[],
    private readonly model: string,
    private readonly scopes: Scopes
  ) {}

  /** True if an action may be done with the model at all */
  mayDo(action: string): boolean {
    return this.#entries().some((entry) => allows(entry, action))
  }

  /** True if it may be done with this record */
  may(action: string, record: object): boolean {
    return this.#reaching(record).some((entry) => allows(entry, action))
  }

  /** True if the record's field is shown */
  shows(field: string, record: object): boolean {
    return this.#reaching(record).some(
      (entry) => allows(entry, 'view') && !(entry.hidden ?? []).includes(field)
    )
  }

  /** True if the action may write the record's field */
  mayWrite(action: string, field: string, record: object): boolean {
    return this.#reaching(record).some(
      (entry) =>
        allows(entry, action) &&
        !(entry.hidden ?? []).includes(field) &&
        !(entry.readonly ?? []).includes(field)
    )
  }

  #entries() {
    const entries = []
    for (const role of this.roles) {
      if (this.model in role) entries.push(role[this.model])
      else if ('*' in role) entries.push(role['*'])
    }
    return entries
  }

  #reaching(record: object) {
    return this.#entries().filter(
      ({ scopes }) =>
        scopes === undefined ||
        scopes.some((name) => Object.hasOwn(this.scopes, name) && this.scopes[name](record))
    )
  }
}

function allows({ actions }: { actions: readonly string[] }, action: string): boolean {
  return actions.includes('*') || actions.includes(action)
}
