import type { DriverContract } from '@adonisjs/drive/types'
import { useFilesDisk } from '#admin/forms/files/files_disk'

/**
 * Keeps uploaded files on another disk.
 *
 * @returns a function that restores the configured disk
 */
export function useDisk(driver: DriverContract): () => void {
  useFilesDisk(driver)
  return () => useFilesDisk()
}
