# SPDX-License-Identifier: MIT
# Makes Debian's backports known to apt, from the mirror and with the key that this machine uses for Debian itself.
# shellcheck shell=bash

# Looks for this machine's Debian in apt's sources. Sets backports_suite and, where backports are not enabled yet,
# archive_uri and archive_signed_by (a field's text as deb822 has it). False where the packages are not Debian's own.
find_debian_archive() {
  local origin label codename suite site file release
  # shellcheck source=/dev/null
  release=$(source /etc/os-release && echo "${DEBIAN_CODENAME:-${VERSION_CODENAME-}}")
  backports_suite=$release-backports archive_uri='' archive_signed_by=''
  backports_enabled=false
  while IFS='|' read -r origin label codename suite site file; do
    if [[ $codename == "$backports_suite" ]]; then
      backports_enabled=true
    elif [[ "$origin|$label|$codename" == "Debian|Debian|$release" && -z $archive_uri ]]; then
      file=${file%:*}
      case $file in
        *.sources) read_deb822 "$file" "$site" "$suite" ;;
        *) read_one_line "$file" "$site" "$suite" ;;
      esac
    fi
  done < <(apt-get indextargets 'Identifier: Packages' 'Component: main' \
    --format "\$(ORIGIN)|\$(LABEL)|\$(CODENAME)|\$(RELEASE)|\$(SITE)|\$(SOURCESENTRY)")
  $backports_enabled || [[ -n $archive_uri ]]
}

# Takes, from the deb822 file $1, the entry that has URI $2 and suite $3. A field may go on over several lines.
read_deb822() {
  local line field='' value uris='' suites='' signed_by=''
  while IFS= read -r line; do
    case $line in
      '#'*) continue ;;
      '')
        if take_archive "$uris" "$suites" "$signed_by" "$2" "$3"; then return; fi
        field='' uris='' suites='' signed_by=''
        continue
        ;;
      [[:space:]]*) value=$'\n'$line ;;
      *) field=${line%%:*} value=${line#*:} ;;
    esac
    case ${field,,} in
      uris) uris+=$value ;;
      suites) suites+=$value ;;
      signed-by) signed_by+=$value ;;
    esac
  done < <(cat "$1" && echo $'\n')
}

# The same for a file of lines: deb [signed-by=...] URI suite component...
read_one_line() {
  local line signed_by uri suite
  local pattern='^[[:space:]]*deb[[:space:]]+(\[([^]]*)\][[:space:]]*)?([^[:space:]]+)[[:space:]]+([^[:space:]]+)'
  while IFS= read -r line; do
    if [[ $line =~ $pattern ]]; then
      uri=${BASH_REMATCH[3]} suite=${BASH_REMATCH[4]} signed_by=''
      if [[ ${BASH_REMATCH[2]} =~ signed-by=([^[:space:]]+) ]]; then signed_by=" ${BASH_REMATCH[1]//,/ }"; fi
      if take_archive "$uri" "$suite" "$signed_by" "$2" "$3"; then return; fi
    fi
  done < <(cat "$1" && echo)
}

# Takes the entry (URIs $1, suites $2, Signed-By $3) if it has URI $4 and suite $5. apt names a URI without its
# password, its empty host and its trailing slash.
take_archive() {
  local uri bare
  [[ " $2 " == *[[:space:]]"$5"[[:space:]]* ]] || return 1
  for uri in $1; do
    bare=$uri
    if [[ $uri =~ ^([^/]*//)[^/@]*@(.*)$ ]]; then bare=${BASH_REMATCH[1]}${BASH_REMATCH[2]}; fi
    bare=${bare/:\/\/\//:/}
    if [[ ${bare%/} == "${4%/}" ]]; then
      archive_uri=$uri archive_signed_by=$3
      return
    fi
  done
  return 1
}

# The text of the source to add.
backports_source() {
  printf 'Types: deb\nURIs: %s\nSuites: %s\nComponents: main\n' "$archive_uri" "$backports_suite"
  if [[ -n $archive_signed_by ]]; then printf 'Signed-By:%s\n' "$archive_signed_by"; fi
}
