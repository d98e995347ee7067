import { Exception } from '@adonisjs/core/exceptions'

/**
 * An event can't be undone. [R7]
 */
export class UndoRefused extends Exception {
  static status = 409
  static code = 'E_UNDO_REFUSED'
  static message = 'This can no longer be undone'

  /**
   * @param reason   catalogue key below `undo.refused`, with its data
   * @param records  those that are in the way: their keys as in paths
   */
  constructor(
    readonly reason: string,
    readonly data: Record<string, unknown> = {},
    readonly records: ReadonlyArray<{ model: string; id: string; label: string }> = []
  ) {
    super()
  }
}
