import type { LucidRow } from '@adonisjs/lucid/types/model'
import { currentActor } from '#base/actor'
import { forbidden } from '#base/http/access_problems'
import type { Resource } from '../resource/resource.js'
import type { CallOptions } from './call_options.js'
import type { GrantedOperation } from '../resource/permissions.js'

/** Checks the actor's grants on a resource and the policy of the resource. */
export class Authorization {
  constructor(readonly resource: Resource) {}

  /** @throws Problem 403  when grants or the policy refuse the action */
  async authorize(
    action: GrantedOperation,
    options: CallOptions,
    record?: LucidRow
  ): Promise<void> {
    if (!(await this.allows(action, options, record))) throw forbidden()
  }

  /** True if the grants and the policy allow the action. For `restore`, the policy is checked for `delete`. */
  async allows(
    action: GrantedOperation,
    { actor = currentActor() }: CallOptions,
    record?: LucidRow
  ): Promise<boolean> {
    if (!this.resource.permits(action)) return false
    const { policy } = this.resource
    if (!policy || actor.kind === 'system') return true
    return Boolean(
      await policy(actor, action === 'restore' ? 'delete' : action, this.resource, record)
    )
  }

  /** True if the policy must authorize every record that is returned. */
  authorizesRecords({ actor = currentActor() }: CallOptions): boolean {
    return this.resource.authorizesRecords && actor.kind !== 'system'
  }

  /** Returns a function that authorizes the read of a record and throws Problem 403; undefined without a policy. */
  recordAuthorizer(action: GrantedOperation, options: CallOptions) {
    if (!this.resource.policy) return undefined
    return (record: LucidRow) => this.authorize(action, options, record)
  }
}
