import { column } from '@adonisjs/lucid/orm'
import type { DateTime } from 'luxon'
import '#crud'
import { AdminModel, jsonColumn } from './admin_model.js'
import type { ActsAs } from './admin_session.js'

/** `reverting`: it has failed or was cancelled, and what it wrote is being reverted */
export const JOB_STATES = ['queued', 'running', 'reverting', 'done', 'failed', 'cancelled'] as const

export type JobState = (typeof JOB_STATES)[number]

/**
 * The request that started a job, which its events name.
 */
export interface JobOrigin {
  requestId: string
  ip: string
  userAgent: string | null
  sessionId: number | null
  /** The user that a superuser was signed in as when the job was started: its events name both [U14] */
  actsAs?: ActsAs
  /** In which its filters and forms are read; jobs of earlier versions have none [R12] */
  timeZone?: string
}

/**
 * A background job: how far it is, and what came of it. Only `JobStore` writes it. [D1]
 */
export default class AdminJob extends AdminModel {
  static table = 'admin_jobs'

  @column({ isPrimary: true })
  declare id: number

  /** Name of its kind, as in `bulk` */
  @column()
  declare kind: string

  /** Owner, with whose permissions it runs */
  @column()
  declare userId: number

  @column()
  declare username: string

  /** Class name of the model that it is about */
  @column()
  declare model: string | null

  @column()
  declare state: JobState

  /** Records that are done for good */
  @column()
  declare done: number

  /** Null if it is not known yet */
  @column()
  declare total: number | null

  /**
   * Records of a step that has begun in another database than this one; null: none. If the process was
   * killed in the meantime, it is uncertain which of them are written
   */
  @column()
  declare pending: number | null

  /** The parameters of the work, without secrets */
  @column({ ...jsonColumn, serializeAs: null })
  declare payload: Record<string, unknown>

  @column({ ...jsonColumn, serializeAs: null })
  declare origin: JobOrigin

  /** What its next step has to know of the earlier ones, also after an interruption */
  @column({ ...jsonColumn, serializeAs: null })
  declare notes: Record<string, unknown> | null

  @column(jsonColumn)
  declare result: Record<string, unknown> | null

  /** Why it failed, in words */
  @column()
  declare fault: string | null

  /** How often its process was killed */
  @column()
  declare interruptions: number

  /** Id of the present run; null unless it is running */
  @column({ serializeAs: null })
  declare run: string | null

  @column.dateTime()
  declare createdAt: DateTime

  @column.dateTime()
  declare startedAt: DateTime | null

  @column.dateTime()
  declare endedAt: DateTime | null
}

/**
 * True until the job is done, or has failed or was cancelled and nothing is left to revert.
 */
export function isUnfinished({ state }: Pick<AdminJob, 'state'>): boolean {
  return state === 'queued' || state === 'running' || state === 'reverting'
}
