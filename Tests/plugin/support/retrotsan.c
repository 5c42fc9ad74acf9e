/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * For -Db_sanitize=thread: GLib's locks are futexes, which ThreadSanitizer does not
 * detect, so that every access under a GMutex would be reported as a race. These
 * functions replace those of GLib, and report locks to ThreadSanitizer.
 */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <glib.h>

void __tsan_acquire (void *address);
void __tsan_release (void *address);

#define REAL(name) \
    static __typeof__ (&name) found = NULL; \
    __typeof__ (&name) real = __atomic_load_n (&found, __ATOMIC_RELAXED); \
    if (real == NULL) { \
      real = (__typeof__ (&name)) dlsym (RTLD_NEXT, #name); \
      __atomic_store_n (&found, real, __ATOMIC_RELAXED); \
    }

void
g_mutex_lock (GMutex * mutex)
{
  REAL (g_mutex_lock);
  real (mutex);
  __tsan_acquire (mutex);
}

gboolean
g_mutex_trylock (GMutex * mutex)
{
  REAL (g_mutex_trylock);
  if (!real (mutex))
    return FALSE;
  __tsan_acquire (mutex);
  return TRUE;
}

void
g_mutex_unlock (GMutex * mutex)
{
  REAL (g_mutex_unlock);
  __tsan_release (mutex);
  real (mutex);
}

void
g_cond_wait (GCond * cond, GMutex * mutex)
{
  REAL (g_cond_wait);
  __tsan_release (mutex);
  real (cond, mutex);
  __tsan_acquire (mutex);
}

gboolean
g_cond_wait_until (GCond * cond, GMutex * mutex, gint64 end_time)
{
  REAL (g_cond_wait_until);
  gboolean in_time;

  __tsan_release (mutex);
  in_time = real (cond, mutex, end_time);
  __tsan_acquire (mutex);
  return in_time;
}
