import type { LucidRow } from '@adonisjs/lucid/types/model'
import type { Resource } from '../resource/resource.js'
import type { HookOptions } from './call_options.js'
import type { Records } from './records.js'

type Values = Record<string, unknown>

/** Methods of `LucidCrud` that applications can override. */
interface OverridableMethods {
  prepareCreate(values: Values, options: HookOptions): Values | Promise<Values>
  prepareUpdate(values: Values, record: LucidRow, options: HookOptions): Values | Promise<Values>
  prepareDelete(record: LucidRow, options: HookOptions): void | Promise<void>
  afterCreate(record: LucidRow, values: Values, options: HookOptions): void | Promise<void>
  afterUpdate(record: LucidRow, values: Values, options: HookOptions): void | Promise<void>
}

/** The part of `LucidCrud` that its operations use. */
export interface CrudContext {
  readonly resource: Resource
  readonly records: Records
  /** The `LucidCrud` itself, so that overridden methods are called */
  readonly methods: OverridableMethods
  /**
   * True if a subclass overrides the method, or the operation `update` or `revert`, which writes of many rows bypass
   */
  overrides(name: keyof OverridableMethods | 'update' | 'revert'): boolean
}
