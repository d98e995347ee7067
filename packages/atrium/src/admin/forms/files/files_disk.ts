import app from '@adonisjs/core/services/app'
import type { DriverContract } from '@adonisjs/drive/types'
import type { AdminConfig } from '../../define_config.js'
import { PrivateFolder } from './private_folder.js'

let used: Promise<DriverContract> | undefined

/**
 * The disk of uploaded files: `disk` of `config/admin.ts`, else the folder `storageDirectory`. A driver is used without
 * Drive's `Disk`, which would drop the dot of `.owners` and refuse names of models that are not ASCII; no part of a key
 * is a client's. [B17]
 */
export function filesDisk(): Promise<DriverContract> {
  return (used ??= configuredDisk())
}

/**
 * Keeps uploaded files on another disk.
 *
 * @param driver  undefined: the configured one
 */
export function useFilesDisk(driver?: DriverContract): void {
  used = driver && Promise.resolve(driver)
}

async function configuredDisk(): Promise<DriverContract> {
  const { disk, storageDirectory } = app.config.get<AdminConfig>('admin')
  return disk ? await disk() : new PrivateFolder(storageDirectory)
}
