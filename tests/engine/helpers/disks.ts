import app from '@adonisjs/core/services/app'
import { Disk } from '@adonisjs/drive'
import type { DriverContract } from '@adonisjs/drive/types'

/**
 * Keeps uploaded files on another disk.
 *
 * @returns a function that restores the configured disk
 */
export function useDisk(driver: DriverContract): () => void {
  app.container.swap(Disk, () => new Disk(driver))
  return () => app.container.restore(Disk)
}
